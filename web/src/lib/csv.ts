/**
 * Rows as CSV for spreadsheets: with a byte order mark, so that they read Chinese, and without
 * cells that they would take for formulas.
 */
export function writeCsv(rows: string[][]): string {
  return "\ufeff" + rows.map((row) => row.map(writeCell).join(",") + "\r\n").join("");
}

function writeCell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n;]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
