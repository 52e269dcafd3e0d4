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
const view = { tanks: [{ id: 5, cell: [6, 5] }] } as unknown as View;

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
  ["7,5", "FIRE:7:5;STOP;STOP;STOP;STOP"],
  ["4,5 5,5", "STOP;STOP;STOP;STOP;STOP"],
])("orders by %s", (does, action) => {
  expect(play(orders, does)).toEqual([action, []]);
});

test.each([
  ["2", "this tank is dead"],
  ["1 w", "stone kills"],
  ["1,1", "that cell is out of range"],
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
