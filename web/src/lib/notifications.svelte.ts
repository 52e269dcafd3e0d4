import { get, put } from "./api";
import type { NotificationList } from "./types";

type UnreadCount = Pick<NotificationList, "unread">;

/** Milliseconds until the stream is tried again where it is refused or broken. */
const AGAIN = 30_000;

/** How many notifications the person who is logged in has not read. */
class UnreadNotifications {
  count = $state(0);

  /** Asks for the number; without an answer the last one stays. */
  async load(): Promise<void> {
    const answer = await get<UnreadCount>("/me/notifications/unread").catch(() => null);
    if (answer) this.count = answer.unread;
  }

  /**
   * Follows the number while the page is visible: a browser has few connections to one server, and
   * hidden tabs must not hold them. Where there is no stream the number is asked for from time to
   * time. The returned function ends it, as `$effect` wants.
   */
  follow(): () => void {
    let source: EventSource | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = () => {
      clearTimeout(timer);
      source?.close();
      source = null;
    };
    const start = () => {
      stop();
      if (document.hidden) return;
      source = new EventSource("/api/me/notifications/live");
      source.addEventListener("unread", ({ data }: MessageEvent<string>) => {
        this.count = (JSON.parse(data) as UnreadCount).unread;
      });
      source.addEventListener("error", () => {
        // A line that breaks is taken up again by the browser; a refusal is not.
        if (source?.readyState !== EventSource.CLOSED) return;
        void this.load();
        timer = setTimeout(start, AGAIN);
      });
    };
    start();
    document.addEventListener("visibilitychange", start);
    return () => {
      document.removeEventListener("visibilitychange", start);
      stop();
    };
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
