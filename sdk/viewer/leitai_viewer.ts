// Draws on the viewer of your matches: copy this file beside your bot, then
//
//     import * as viewer from './leitai_viewer';
//     viewer.mark([[3, 4], [3, 5]], 'bad');
//     viewer.value({ danger: 0.7 });
//
// Only you see it. Cells are numbered as in the game's rules. docs/remarks.md
declare function require(name: string): any;

type Tone = 'accent' | 'good' | 'bad';

/** One line to the viewer: mark, line, text, tag, value, tone together. */
export function show(what: object): void {
  require('node:fs').writeSync(2, `#leitai ${JSON.stringify(what)}\n`);
}
/** Marks cells. */
export const mark = (cells: [number, number][], tone?: Tone) => show({ mark: cells, tone });
/** A line through cells, two at least. */
export const line = (cells: [number, number][], tone?: Tone) => show({ line: cells, tone });
/** A text of this turn. */
export const text = (words: string) => show({ text: words });
/** Numbers that are plotted over the leg, each under its name. */
export const value = (values: Record<string, number>) => show({ value: values });
/** Words to search for. */
export const tag = (...words: string[]) => show({ tag: words });
