// Draws on the viewer of your matches: copy this file beside your bot, then
//
//     const viewer = require('./leitai_viewer');
//     viewer.mark([[3, 4], [3, 5]], 'bad');
//     viewer.value({ danger: 0.7 });
//
// Only you see it. Cells are numbered as in the game's rules. docs/remarks.md
const fs = require('node:fs');

/** One line to the viewer: mark, line, text, tag, value, tone together. */
function show(what) {
  fs.writeSync(2, `#leitai ${JSON.stringify(what)}\n`);
}

exports.show = show;
/** Marks cells; the tone is accent, good or bad. */
exports.mark = (cells, tone) => show({ mark: cells, tone });
/** A line through cells, two at least. */
exports.line = (cells, tone) => show({ line: cells, tone });
/** A text of this turn. */
exports.text = (words) => show({ text: words });
/** Numbers that are plotted over the leg, each under its name. */
exports.value = (values) => show({ value: values });
/** Words to search for. */
exports.tag = (...words) => show({ tag: words });
