import type { Delta, Frame, Position, Snapshot } from "./wire.ts";

/** Deltas that wait for the one before them. */
const MAX_EARLY = 64;

/**
 * What a viewer shows. Frames are applied to it by the rules of realtime/wire/doc.go, whatever order they come in;
 * `statuses` is one byte a seat and is written in place.
 */
export interface LiveMap {
  position: Position | null; // null: nothing is shown yet
  ranges: [number, number][]; // what is shown; seats outside are not known
  statuses: Uint8Array;
  early: Delta[]; // not yet connected to what is shown, by `from`
}

/** What a frame did. A `gap` that stays for a moment calls for a snapshot. */
export interface Applied {
  snapshot: boolean;
  deltas: Delta[];
  gap: boolean;
}

export function emptyMap(): LiveMap {
  return { position: null, ranges: [], statuses: new Uint8Array(0), early: [] };
}

/** Applies a snapshot or delta; other frames change nothing. */
export function applyFrame(map: LiveMap, frame: Frame): Applied {
  let snapshot = false;
  if (frame.kind === "snapshot") snapshot = applySnapshot(map, frame);
  else if (frame.kind === "delta") keep(map, frame);
  return { snapshot, deltas: drain(map), gap: map.early.length > 0 };
}

/** Makes the next snapshot count, whatever its position. What is on the screen stays. */
export function forgetPosition(map: LiveMap): void {
  map.position = null;
  map.early = [];
}

/** Puts a whole map from elsewhere (polling) in place; it has no position to resume from. */
export function replaceAll(map: LiveMap, statuses: Uint8Array): void {
  forgetPosition(map);
  map.statuses = statuses;
  map.ranges = statuses.length > 0 ? [[0, statuses.length]] : [];
}

function sameEpoch(a: Position, b: Position): boolean {
  return a.event === b.event && a.stream === b.stream;
}

function applySnapshot(map: LiveMap, s: Snapshot): boolean {
  if (map.position && sameEpoch(map.position, s.position) && s.position.offset < map.position.offset) return false; // a late copy
  if (map.statuses.length !== s.seats) map.statuses = new Uint8Array(s.seats);
  let i = 0;
  for (const [from, to] of s.ranges) {
    map.statuses.set(s.statuses.subarray(i, i + to - from), from);
    i += to - from;
  }
  map.position = { ...s.position };
  map.ranges = s.ranges;
  return true;
}

/** Sorts a delta in among those that wait; without a map all of them wait. */
function keep(map: LiveMap, d: Delta): void {
  const p = map.position;
  if (p && (d.mark !== p.mark || d.to <= p.offset)) return;
  let i = map.early.length;
  while (i > 0 && map.early[i - 1].from > d.from) i--;
  map.early.splice(i, 0, d);
  if (map.early.length > MAX_EARLY) map.early.shift();
}

/** Applies the waiting deltas that connect. */
function drain(map: LiveMap): Delta[] {
  const p = map.position;
  if (!p) return [];
  const applied: Delta[] = [];
  map.early = map.early.filter((d) => {
    if (d.mark !== p.mark || d.to <= p.offset) return false;
    if (d.from > p.offset) return true;
    d.ordinals.forEach((o, i) => {
      if (o < map.statuses.length) map.statuses[o] = d.statuses[i];
    });
    p.offset = d.to;
    applied.push(d);
    return false;
  });
  return applied;
}
