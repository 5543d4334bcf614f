// The part that keeps the map true.
import { isState } from "../event/stage.ts";
import { LiveConnection } from "../live/connection.ts";
import { NoticeReader } from "../live/notices.ts";
import { here } from "./here.ts";

here(import.meta.url, {
  follow(origin, { detail: { eventId }, book, chart }, events) {
    const notices = new NoticeReader(), event = `${origin}/v1/events/${eventId}`;
    return new LiveConnection({
      url: `${event}/live`, event: eventId, seats: chart.seats, pollUrl: `${event}/availability`,
      onSnapshot: (statuses, ranges) => events.changed(ranges.flatMap(([from, to]) => book.snapshot(statuses.subarray(from, to), from))),
      onDelta: (ordinals, statuses) => events.changed(book.apply(Array.from(ordinals, (ordinal, i) => ({ ordinal, status: statuses[i]! })))),
      onState: (state, way) => events.state(state, way),
      onNotice: (kind, body) => {
        const news = notices.read(kind, body);
        if (news?.about === "event" && isState(news.state)) events.event(news.state);
        else if (news?.about === "prices") events.prices();
      },
    });
  },
});
