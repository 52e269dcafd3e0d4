// Runs before the first paint, so that a chosen theme does not flash. It is a file because the
// content security policy allows no inline script. The address of an embedded match may name a
// theme; it is not remembered.
(function () {
    var root = document.documentElement;
    var asked = null;
    if (/^\/embed\//.test(location.pathname))
        asked = new URLSearchParams(location.search).get("theme");
    var theme = asked;
    var contrast = asked === "contrast" ? "more" : null;
    try {
        theme = asked || localStorage.getItem("leitai.theme");
        contrast = contrast || localStorage.getItem("leitai.contrast");
    } catch {
        // The page may not use the storage: the system's preference applies.
    }
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    if (contrast === null && matchMedia("(prefers-contrast: more)").matches) contrast = "more";
    if (contrast === "more") root.dataset.contrast = "more";
})();
