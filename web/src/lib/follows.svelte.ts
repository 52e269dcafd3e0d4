import { get, put, remove } from "./api";
import type { FollowList } from "./types";

/** A bot or a contest by its id, or a player by name. */
export type FollowTarget = { bot: number } | { player: string } | { contest: string };

/** Whom the person who is logged in follows. */
class Follows {
  list: FollowList | undefined = $state.raw();

  async load(): Promise<void> {
    this.list = await get<FollowList>("/me/follows");
  }

  /** Whether this one is followed; undefined until that is known. */
  has(target: FollowTarget): boolean | undefined {
    if ("bot" in target) return this.list?.bots.some(({ id }) => id === target.bot);
    if ("contest" in target) return this.list?.contests.some(({ id }) => id === target.contest);
    return this.list?.players.some(({ name }) => name === target.player);
  }

  async follow(target: FollowTarget): Promise<void> {
    await put(pathOf(target), {});
    await this.load();
  }

  async unfollow(target: FollowTarget): Promise<void> {
    await remove(pathOf(target));
    await this.load();
  }
}

function pathOf(target: FollowTarget): string {
  if ("bot" in target) return `/me/follows/bots/${target.bot}`;
  if ("contest" in target) return `/me/follows/contests/${target.contest}`;
  return `/me/follows/players/${encodeURIComponent(target.player)}`;
}

export const follows = new Follows();
