import { access } from "../auth/kept.ts";
import { LiveConnection } from "../live/connection.ts";
import { fallback } from "../live/fallback.ts";
import { NoticeReader } from "../live/notices.ts";
import { rememberedWay } from "../live/remembered.ts";

/**
 * Calls back when the gateway tells this fan of the order: the page then need not wait for its next look. It is told
 * only with the event's access token; without one, or when nothing is said, looking has to do. Answers how to stop.
 */
export function watch(event: string, order: string, changed: () => void): () => void {
  const token = access(event)?.accessToken;
  if (!token) return () => {};
  const notices = new NoticeReader();
  const live = new LiveConnection({
    url: `/v1/events/${event}/live`, event, view: "overview", token, first: rememberedWay(), fallback,
    onSnapshot: () => {}, onDelta: () => {},
    onNotice: (kind, body) => {
      const news = notices.read(kind, body);
      if (news?.about === "order" && news.id === order || news?.about === "hold") changed();
    },
  });
  return () => live.close();
}
