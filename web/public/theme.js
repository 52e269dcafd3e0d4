// Runs before the first paint, so that a chosen theme does not flash. It is a file because the
// content security policy allows no inline script.
try {
    var theme = localStorage.getItem("leitai.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
    // The page may not use the storage: the system's preference applies.
}
