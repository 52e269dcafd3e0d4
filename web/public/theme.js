// Runs before the first paint, so that a chosen theme does not flash. A file of its own, for the content security policy.
try {
    var theme = localStorage.getItem("leitai.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
    // Storage is closed to this page: the preference of the system is what remains.
}
