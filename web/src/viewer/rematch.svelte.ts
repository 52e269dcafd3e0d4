// A rematch between two people whose match is over: one asks, the other one accepts or declines.

import { callFromSeat } from "$lib/api";
import { explainError } from "$lib/errors";
import { asError } from "$lib/loaded.svelte";
import { poll } from "$lib/poll";
import { navigate } from "$lib/router.svelte";
import { loadSeat, saveSeat } from "$lib/seat_tokens";
import type { Phrase, Rematch } from "$lib/types";
import type { Entrant } from "./leg_frames";

const EVERY = 2000;
/** How often is looked: for ten minutes. */
const LOOKS = 300;

/** Rematches that both have asked for: nobody reads once more how the game is played. */
const agreed = new Set<number>();
export const isAgreed = (match: number) => agreed.has(match);

export class RematchOffer {
  state: Rematch["state"] = $state("none");
  /** The side that this person would play. */
  seat: Entrant | null = $state(null);
  /** What the other person said after the match. */
  said: Phrase | null = $state(null);
  /** Why the last request failed. */
  failure = $state("");
  /** Whether a request of this person is under way. */
  busy = $state(false);
  private readonly path: string;
  private readonly phrasePath: string;

  constructor(
    match: number,
    private readonly token: string,
  ) {
    this.path = `/matches/${match}/rematch`;
    this.phrasePath = `/matches/${match}/phrase`;
  }

  /** Looks for an offer or its answer from time to time; the returned function ends that. */
  watch(): () => void {
    let left = LOOKS;
    const end = poll(EVERY, () => {
      if (left-- <= 0) return end();
      // A server that does not answer is reported by the head of the page.
      if (!this.busy) callFromSeat<Rematch>("GET", this.path, this.token).then(this.show, () => {});
    });
    return () => end();
  }

  /** Asks for a rematch on this side, or accepts the one that was asked for. */
  ask(seat: Entrant): Promise<void> {
    return this.send(async () =>
      this.show(await callFromSeat<Rematch>("POST", this.path, this.token, { seat })),
    );
  }

  /** Declines, or takes the own question back. */
  refuse(): Promise<void> {
    return this.send(async () => {
      await callFromSeat("DELETE", this.path, this.token);
      this.show({ state: "none", seat: null, joined: null, said: this.said });
    });
  }

  /** Says a phrase to the other person. */
  say(phrase: Phrase): Promise<void> {
    return this.send(() => callFromSeat("PUT", this.phrasePath, this.token, { phrase }));
  }

  private async send(act: () => Promise<void>): Promise<void> {
    this.busy = true;
    this.failure = "";
    try {
      await act();
    } catch (thrown) {
      this.failure = explainError(asError(thrown));
    }
    this.busy = false;
  }

  private readonly show = ({ state, seat, joined, said }: Rematch): void => {
    this.state = state;
    this.seat = seat;
    this.said = said;
    // Who comes back to the old match later is not sent away again.
    if (!joined || loadSeat(joined.match)) return;
    agreed.add(joined.match);
    saveSeat(joined.match, joined.token, joined.seat);
    navigate(`/matches/${joined.match}`);
  };
}
