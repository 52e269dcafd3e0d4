// mdBook's search splits texts at spaces, which Chinese does not have. Words in Chinese characters are looked for as
// they stand; everything else stays with mdBook.
(() => {
  const CHINESE = /[\u3400-\u9fff]/;

  /** Results as elasticlunr gives them: a reference, a score, the document. */
  function find(documents, term) {
    const words = term.toLowerCase().split(/\s+/).filter(Boolean);
    const results = [];
    for (const [ref, doc] of Object.entries(documents)) {
      const title = (doc.title ?? "").toLowerCase();
      const text = `${doc.breadcrumbs ?? ""} ${doc.body ?? ""}`.toLowerCase();
      if (!words.every((word) => title.includes(word) || text.includes(word))) continue;
      const count = words.reduce((sum, word) => sum + text.split(word).length - 1, 0);
      const inTitle = words.filter((word) => title.includes(word)).length;
      results.push({ ref, score: 100 * inTitle + count, doc });
    }
    return results.sort((a, b) => b.score - a.score);
  }

  // mdBook loads the index when somebody begins to search.
  const load = elasticlunr.Index.load;
  elasticlunr.Index.load = (config) => {
    const index = load.call(elasticlunr.Index, config);
    const search = index.search.bind(index);
    index.search = (term, options) =>
      CHINESE.test(term) ? find(index.documentStore.docs, term) : search(term, options);
    return index;
  };
})();
