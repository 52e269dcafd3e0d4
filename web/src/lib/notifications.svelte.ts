import { get, put } from "./api";
import type { NotificationList } from "./types";

/** How many notifications the person who is logged in has not read. */
class UnreadNotifications {
  count = $state(0);

  /** Asks for the number; without an answer the last one stays. */
  async load(): Promise<void> {
    type Answer = Pick<NotificationList, "unread">;
    const answer = await get<Answer>("/me/notifications/unread").catch(() => null);
    if (answer) this.count = answer.unread;
  }
}

export const unread = new UnreadNotifications();

/** The notifications, newest first. */
export async function loadNotifications(): Promise<NotificationList> {
  const list = await get<NotificationList>("/me/notifications");
  unread.count = list.unread;
  return list;
}

/** Marks the notifications up to this one as read. */
export const readUntil = (until: number) => put<void>("/me/notifications/read", { until });

/** Marks one notification as read. */
export const readOne = (id: number) => put<void>(`/me/notifications/${id}/read`, {});
