// The board of Goofspiel in the page: the prizes above, the bids under them, and the cards of each
// hand. It is called with what a player may see, and names the cells that choose a card.
"use strict";

const rowsOf = ({ you }) => (you === "second" ? { hand: 1, bids: 2 } : { hand: 5, bids: 4 });

function boardSize({ view }) {
  return { cols: view.cards, rows: 7 };
}

function card(context, [col, row], cell, color, text, ink, faded) {
  context.globalAlpha = faded ? 0.25 : 1;
  context.fillStyle = color;
  context.beginPath();
  context.roundRect((col + 0.1) * cell, (row + 0.06) * cell, cell * 0.8, cell * 0.88, cell * 0.12);
  context.fill();
  context.fillStyle = ink;
  context.font = `700 ${cell * 0.46}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, (col + 0.5) * cell, (row + 0.52) * cell);
  context.globalAlpha = 1;
}

function draw(context, { view, cell, cols, rows, colors, t }) {
  context.fillStyle = colors.board;
  context.fillRect(0, 0, cols * cell, rows * cell);
  const paper = colors.paper;
  view.prizes.forEach((prize, at) => {
    // The newest prize turns over.
    const isNew = at === view.prizes.length - 1 && t < 0.5;
    card(context, [at, 3], cell, colors.ink, isNew ? "" : String(prize), paper, false);
  });
  for (const [seat, hand, bids] of [["first", 5, 4], ["second", 1, 2]]) {
    const spent = view[seat].bids;
    for (let at = 0; at < view.cards; at++)
      card(context, [at, hand], cell, colors[seat], String(at + 1), paper, spent.includes(at + 1));
    spent.forEach((bid, at) =>
      card(context, [at, bids], cell, colors[seat], String(bid), paper, false),
    );
    context.fillStyle = colors.ink;
    context.font = `600 ${cell * 0.4}px system-ui, sans-serif`;
    context.textAlign = "left";
    const row = seat === "first" ? 6.5 : 0.5;
    context.fillText(`${seat === "first" ? 1 : 2}: ${view[seat].points}`, cell * 0.15, row * cell);
  }
}

/** The cards of the own hand. */
function targets(scene) {
  const { hand } = rowsOf(scene);
  return Object.fromEntries(scene.actions.map((action) => [action, [[Number(action) - 1, hand]]]));
}
