// A link in the bar of every page to the same page in the other language, or to the other book's first page.
(() => {
  const isChinese = document.documentElement.lang.startsWith("zh");
  const root = new URL(typeof path_to_root === "string" && path_to_root ? path_to_root : "./", location.href);
  const page = location.pathname.slice(root.pathname.length).replace(/\.html$/, "") || "index";
  const other = PAGES_OF_OTHER_BOOK.includes(page) ? page : "index";
  const link = document.createElement("a");
  link.href = new URL(`../${isChinese ? "en" : "zh"}/${other}.html`, root).href;
  link.textContent = isChinese ? "English" : "简体中文";
  link.lang = isChinese ? "en" : "zh-CN";
  link.className = "language";
  document.querySelector(".right-buttons")?.prepend(link);
})();
