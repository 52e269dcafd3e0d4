import { expect, test } from "vitest";
import type { DraftChange, Question } from "$viewer/game_viewer";
import { orderBuilder } from "./order_builder";
import type { Cell, View } from "./view";

const way = (order: string, cell: Cell, legal = true) => ({
  order,
  cell,
  legal,
  why: legal ? null : { en: "stone kills", zh: "撞上石头会阵亡" },
});
const tank = (id: number, [row, col]: Cell) => ({
  id,
  type: "Striker",
  cell: [row, col],
  life: 3,
  revive: null,
  range: 3,
  go: [
    way("GOUP", [row - 1, col], id !== 1),
    way("GODOWN", [row + 1, col]),
    way("GOLEFT", [row, col - 1]),
    way("GORIGHT", [row, col + 1]),
  ],
  targets: [
    [row, col],
    [row + 1, col],
    [row - 1, col],
    [row, col + 1],
    [row + 2, col],
  ],
});
const dead = {
  id: 2,
  type: "Sniper",
  cell: null,
  life: 0,
  revive: 9,
  range: 5,
  go: [],
  targets: [],
};
const orders = {
  options: {
    choose: "orders",
    tanks: [tank(0, [5, 5]), tank(1, [5, 9]), dead, tank(3, [9, 5]), tank(4, [9, 9])],
  },
} as unknown as Question;
const types = [
  ["Striker", 2, 3, 3],
  ["Pioneer", 1, 9, 1],
  ["Sniper", 1, 2, 5],
].map(([type, attack, life, range]) => ({ type, attack, life, range }));
const team = { options: { choose: "team", types, tanks: [5, 6, 7, 8, 9] } } as unknown as Question;
/** Open ground with a wall of stone in column 15, and a brick two cells below tank 3. */
const terrain = Array.from({ length: 21 }, (_, row) =>
  Array.from({ length: 21 }, (_, col) =>
    col === 14 ? "#" : row === 10 && col === 4 ? "2" : ".",
  ).join(""),
);
const seen = (round: number, enemy: Cell = [6, 5]) =>
  ({ round, terrain, tanks: [{ id: 5, cell: enemy }] }) as unknown as View;
const view = seen(1);

/** Keys, or places as "row,col"; the list contains the refusals. */
function play(question: Question, does: string): [string, string[]] {
  let draft = orderBuilder.startDraft(question, view, null);
  const refused: string[] = [];
  for (const one of does.split(" ").filter(Boolean)) {
    const [row, col] = one.split(",").map(Number);
    const next =
      one.includes(",") && one !== ","
        ? orderBuilder.handleClick(draft, { row: row! - 1, col: col! - 1 }, question, view)
        : orderBuilder.handleKey(draft, one, question, view);
    if (next === null) refused.push(`nothing: ${one}`);
    else if ("refused" in next) refused.push(next.refused.en);
    else draft = next.draft;
  }
  return [orderBuilder.draftAction(draft, question), refused];
}

test.each([
  ["", "STOP;STOP;STOP;STOP;STOP"],
  ["ArrowUp 1 s 4 ArrowLeft", "GOUP;GODOWN;STOP;STOP;GOLEFT"],
  ["n d n a", "STOP;GORIGHT;STOP;GOLEFT;STOP"],
  ["w Backspace", "STOP;STOP;STOP;STOP;STOP"],
  ["f Enter", "FIRE:6:5;STOP;STOP;STOP;STOP"],
  ["f s Enter 1 f f", "FIRE:7:5;FIRE:5:9;STOP;STOP;STOP"],
  ["f Escape", "STOP;STOP;STOP;STOP;STOP"],
  ["9,9 8,9", "STOP;STOP;STOP;STOP;GOUP"],
  ["4,5 4,5", "FIRE:4:5;STOP;STOP;STOP;STOP"],
  ["7,5 7,5", "FIRE:7:5;STOP;STOP;STOP;STOP"],
  ["6,5 6,5", "FIRE:6:5;STOP;STOP;STOP;STOP"],
  ["g", "FIRE:6:5;STOP;STOP;STOP;STOP"],
  ["5,1 3 12,5 4 f s Enter", "GOLEFT;STOP;STOP;GODOWN;FIRE:10:9"],
  ["5,1 x 3 12,5 Backspace", "STOP;STOP;STOP;STOP;STOP"],
  ["4,5 5,5", "STOP;STOP;STOP;STOP;STOP"],
])("orders by %s", (does, action) => {
  expect(play(orders, does)).toEqual([action, []]);
});

test.each([
  ["2", "this tank is dead"],
  ["1 w", "stone kills"],
  ["1,16", "no way leads there"],
  ["r", "there is no last round to repeat"],
  ["f w w w w", "that cell is out of range"],
  ["q", "nothing: q"],
])("refused: %s", (does, why) => {
  expect(play(orders, does)[1].at(-1)).toBe(why);
});

/** The draft of a change that is not refused. */
function draftAfter(change: DraftChange): unknown {
  return change && "draft" in change ? change.draft : expect.fail("nothing has changed");
}

test("the team by keys and buttons", () => {
  expect(play(team, "6 p 7 n ArrowDown ArrowRight")[0]).toBe(
    "Team;Striker;Pioneer;Sniper;Pioneer;Striker",
  );
  const draft = draftAfter(
    orderBuilder.handleButton(orderBuilder.startDraft(team, view, null), "9", "Sniper", team, view),
  );
  expect(orderBuilder.draftAction(draft, team)).toBe("Team;Striker;Striker;Striker;Striker;Sniper");
  expect(orderBuilder.describePanel(draft, team, view, "en").rows[4]).toMatchObject({
    detail: "attack 1, life 2, range 5",
    selected: true,
  });
});

test("the panel shows impossible orders and their reasons", () => {
  const draft = draftAfter(
    orderBuilder.handleKey(orderBuilder.startDraft(orders, view, null), "1", orders, view),
  );
  const { rows } = orderBuilder.describePanel(draft, orders, view, "en");
  expect(rows[1]?.buttons[0]).toMatchObject({ legal: false, why: "stone kills" });
  expect(rows[2]).toMatchObject({ disabled: true, detail: "dead, back in round 9" });
});

/** A click on "row,col". */
const click = (draft: unknown, [row, col]: Cell, question: Question, view: View) =>
  draftAfter(orderBuilder.handleClick(draft, { row: row - 1, col: col - 1 }, question, view));

test("a standing order lasts until the tank arrives, around stone and through brick", () => {
  let draft = click(orderBuilder.startDraft(orders, view, null), [5, 2], orders, view);
  const detail = () => orderBuilder.describePanel(draft, orders, view, "en").rows[0]?.detail;
  expect(detail()).toBe("to (5,2), 3 to go");
  const shown: string[] = [];
  for (const [round, col] of [4, 3, 2].entries()) {
    shown.push(orderBuilder.draftAction(draft, orders).split(";")[0]!);
    const next = {
      options: {
        choose: "orders",
        tanks: [tank(0, [5, col]), ...[1, 3, 4].map((id) => tank(id, [9, id]))],
      },
    } as unknown as Question;
    draft = orderBuilder.startDraft(next, seen(2 + round), draft);
  }
  expect([...shown, orderBuilder.draftAction(draft, orders).split(";")[0]]).toEqual([
    "GOLEFT",
    "GOLEFT",
    "GOLEFT",
    "STOP",
  ]);
});

test("a brick on the way is shot at, the same question keeps the draft, and a round repeats", () => {
  const below = {
    options: { choose: "orders", tanks: [tank(0, [10, 5]), tank(1, [5, 9])] },
  } as unknown as Question;
  const narrow = {
    ...view,
    terrain: terrain.map((line, row) => (row === 10 ? line.replaceAll(".", "#") : line)),
  };
  let draft = click(orderBuilder.startDraft(below, narrow, null), [13, 5], below, narrow);
  expect(orderBuilder.draftAction(draft, below)).toBe("FIRE:11:5;STOP");
  draft = orderBuilder.startDraft(below, narrow, draft);
  expect(orderBuilder.draftAction(draft, below)).toBe("FIRE:11:5;STOP");
  draft = draftAfter(orderBuilder.handleKey(draft, "1", below, narrow));
  draft = draftAfter(orderBuilder.handleKey(draft, "s", below, narrow));
  draft = orderBuilder.startDraft(below, { ...narrow, round: 2 }, draft);
  // The tank without a standing order is asked for next.
  expect(draft).toMatchObject({ selected: 1 });
  expect(orderBuilder.draftAction(draft, below)).toBe("FIRE:11:5;STOP");
  draft = draftAfter(orderBuilder.handleButton(draft, "", "REPEAT", below, narrow));
  expect(orderBuilder.draftAction(draft, below)).toBe("FIRE:11:5;GODOWN");
});

test("without an enemy in range nobody fires", () => {
  const far = seen(1, [20, 20]);
  const draft = orderBuilder.startDraft(orders, far, null);
  const refused = orderBuilder.handleKey(draft, "g", orders, far);
  expect(refused).toMatchObject({ refused: { en: "no enemy in sight is in range" } });
  const [volley] = orderBuilder.describePanel(draft, orders, far, "en").common!;
  expect(volley).toMatchObject({ id: "VOLLEY", legal: false });
});

test("from the second round on, idle tanks fire by themselves at who is in range", () => {
  let draft = orderBuilder.startDraft(orders, seen(1), null);
  expect(orderBuilder.draftAction(draft, orders)).toBe("STOP;STOP;STOP;STOP;STOP");
  draft = draftAfter(orderBuilder.handleClick(draft, { row: 4, col: 0 }, orders, seen(1)));
  expect(
    orderBuilder.draftAction(orderBuilder.startDraft(orders, seen(2, [6, 9]), draft), orders),
  ).toBe("GOLEFT;FIRE:6:9;STOP;STOP;STOP");
  // Another order takes its place.
  const next = orderBuilder.startDraft(orders, seen(2, [6, 9]), draft);
  const told = draftAfter(orderBuilder.handleButton(next, "1", "STOP", orders, seen(2, [6, 9])));
  expect(orderBuilder.draftAction(told, orders)).toBe("GOLEFT;STOP;STOP;STOP;STOP");
});
