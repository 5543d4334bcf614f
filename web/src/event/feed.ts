import { access } from "../auth/kept.ts";
import { LiveConnection } from "../live/connection.ts";
import { fallback } from "../live/fallback.ts";
import type { Way } from "../live/links.ts";
import { type News, NoticeReader } from "../live/notices.ts";
import type { LiveState } from "../live/options.ts";
import { rememberedWay, rememberWay } from "../live/remembered.ts";
import type { EventModel } from "./model.ts";

export interface FeedEvents {
  changed(ordinals: number[]): void;
  state(state: LiveState, way: Way | null): void;
  /** Something about the event, or about this fan's own hold or order. */
  news(news: News): void;
}

/** Keeps the book true: the live connection's snapshots, deltas and (when it fails) polled documents go into it. */
export class Feed {
  readonly #live: LiveConnection;

  constructor(model: EventModel, events: FeedEvents) {
    const { eventId } = model.detail, { book } = model, notices = new NoticeReader();
    this.#live = new LiveConnection({
      url: `/v1/events/${eventId}/live`, event: eventId, token: () => access(eventId)?.accessToken ?? "", first: rememberedWay(), fallback,
      seats: model.chart.seats, pollUrl: `/v1/events/${eventId}/availability`,
      onSnapshot: (statuses, ranges) =>
        events.changed(ranges.flatMap(([from, to]) => book.snapshot(statuses.subarray(from, to), from))),
      onDelta: (ordinals, statuses) => events.changed(book.apply(Array.from(ordinals, (ordinal, i) => ({ ordinal, status: statuses[i] })))),
      onState: (state, way) => {
        rememberWay(way);
        events.state(state, way);
      },
      onNotice: (kind, body) => {
        const news = notices.read(kind, body);
        if (news) events.news(news);
      },
    });
  }

  /** There is another access token: the gateway then shows more, and faster. */
  tokenChanged(): void {
    this.#live.tokenChanged();
  }
}
