export type Phase = "before" | "draw" | "open" | "paused" | "soldout" | "ended";

/** A room in numbers at an instant; see RoomMoment in openapi.yaml. */
export interface Moment {
  at: string; version: number; phase: Phase; reason: "paused" | "breaker" | "slow" | null;
  entered: number; waiting: number; passed: number; laps: number; admitted: number;
  inside: number; atDoor: number; target: number; predicted: number; perSecond: number; noShow: number; throttle: number;
}

export interface Cohort { at: string; tickets: number; came: number; complete: boolean }

export interface Message { reason: string; text: Record<string, string>; nextUpdate: string }

/** A room as operators see it; see Room in openapi.yaml. */
export interface Room extends Moment {
  eventId: string; title: string; venue: { name: string; city: string; country: string }; timeZone: string; startsAt: string; onSaleAt: string;
  epoch: number; present: number | null; tiers: { name: string; entered: number }[]; late: number; drawn: boolean; verifiable: boolean;
  called: number; secondChance: number; left: Record<string, number>; gaveUp: { missed: number; inside: number };
  claimSeconds: number; staySeconds: number; pausedSince: string | null; held: boolean; message: Message | null; cohorts: Cohort[]; codes: number;
}

/** A partner as operators see it; events only where one is asked for alone. See Partner in openapi.yaml. */
export interface Partner {
  partnerId: string; version: number; name: string; suspended: boolean; origins: string[];
  allEvents: boolean; eventCount: number; events?: string[]; createdAt: string; changedAt: string;
}

/** What a partner is to be, decided on a version of it; 0: there is none yet. */
export interface Draft { version: number; name: string; suspended: boolean; origins: string[]; allEvents: boolean; events: string[] }

/** A line of any audit. */
export interface Deed { at: string; verb: string; who: string; why: string; before: unknown; after: unknown }

export interface Action { at: string; epoch: number; verb: "pause" | "resume" | "message" | "target" | "reset" | "codes"; who: string; why: string; before: unknown; after: unknown }

export interface Effect {
  target: number; from: number; inside: number; perSecond: number; perSecondNow: number; settlesSeconds: number; restSeconds: number; restSecondsNow: number;
}
