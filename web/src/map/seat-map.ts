import { BaseLayer, type MapWords } from "./base-layer.ts";
import type { SeatBook } from "./book.ts";
import { between, type Camera, clamp, fit, type Limits, pan, same, type Size, toChart, zoomAt } from "./camera.ts";
import type { ChartIndex } from "./chart.ts";
import { DenseLayer } from "./dense-layer.ts";
import { listen } from "./gestures.ts";
import { seatAt, sectionAt } from "./hit.ts";
import { CHOOSING, type Detail, detail, type Level, pixelRatio, zoomLimits } from "./lod.ts";
import { NearLayer } from "./near-layer.ts";
import { Pixels } from "./pixels.ts";
import type { RowLabels } from "./row-labels.ts";
import type { Scene } from "./scene.ts";
import { readTheme, type Theme } from "./theme.ts";

/** What the map tells its page, as far as somebody listens. Places are CSS pixels relative to the map. */
export interface MapEvents {
  seatTap?(ordinal: number): void;
  /** An area without numbered seats was tapped. */
  areaTap?(section: number): void;
  /** The mouse is here; null: it has left, or the map moves under it. */
  hover?(at: { x: number; y: number } | null): void;
  /** Somebody who looks closer tried to move the map with a finger that the page takes for itself. */
  passed?(): void;
  /** The camera came to rest over this section; -1 when the whole venue is in view. */
  lookingAt?(section: number): void;
  /** A frame was drawn, in so many ms: for measurements. */
  drew?(ms: number): void;
}

const MARGIN = 20; // pixels around the venue when it is fitted
const FLIGHT = 420; // ms

/**
 * The seat map. Two stacked canvases: what changes with the camera (sections, labels) and the seats, so that a changed
 * seat is one small copy. A frame is drawn only when the camera moved, the size changed or a seat in the book did.
 */
export class SeatMap {
  readonly index: ChartIndex;
  events: MapEvents = {};
  readonly #host: HTMLElement;
  readonly #book: SeatBook;
  readonly #base: HTMLCanvasElement;
  readonly #seats: HTMLCanvasElement;
  readonly #baseLayer: BaseLayer;
  readonly #dense: DenseLayer;
  readonly #near: NearLayer;
  readonly #stop: (() => void)[] = [];
  #view: Size = { w: 0, h: 0 };
  #camera: Camera = { x: 0, y: 0, scale: 1 };
  #below = 0; // pixels at the bottom that the fitted venue leaves to what lies over the map
  #fitted = true; // the camera follows the size until somebody moves it
  #theme: Theme;
  #dirty = new Set<number>();
  #redraw = true;
  #frame = 0;
  #moving = false;
  #late = 0;
  #flight: { from: Camera; to: Camera; start: number } | null = null;

  constructor(host: HTMLElement, index: ChartIndex, book: SeatBook, words: MapWords) {
    this.#host = host;
    this.index = index;
    this.#book = book;
    this.#base = canvas("map-base");
    this.#seats = canvas("map-seats");
    host.prepend(this.#base, this.#seats);
    this.#baseLayer = new BaseLayer(index, words);
    const pixels = new Pixels(); // one picture for both: one of them is shown at a time
    this.#dense = new DenseLayer(index, pixels);
    this.#near = new NearLayer(index, pixels);
    this.#theme = readTheme(host);
    this.#watchSize();
    this.#watchTheme();
    this.#stop.push(listen(host, {
      pan: (dx, dy) => this.#move(pan(this.#camera, dx, dy, this.limits)),
      zoom: (x, y, factor) => this.#move(zoomAt(this.#camera, this.#view, x, y, factor, this.limits)),
      tap: (x, y) => this.#tap(x, y),
      doubleTap: (x, y) => this.fly(zoomAt(this.#camera, this.#view, x, y, 2.2, this.limits)),
      hover: (at) => this.events.hover?.(at),
      passed: () => void (this.#fitted || this.events.passed?.()),
      rest: () => this.#rest(),
    }));
  }

  destroy(): void {
    cancelAnimationFrame(this.#frame);
    for (const stop of this.#stop) stop();
    this.#base.remove();
    this.#seats.remove();
  }

  /** The book changed for these seats. */
  changed(ordinals: readonly number[]): void {
    const { section, sections } = this.index.chart;
    if (ordinals.length > 5000) this.#redraw = true;
    else for (const o of ordinals) if (!sections[section[o]].general) this.#dirty.add(o); // an area shows a count
    if (ordinals.length > 0) this.#request();
  }

  /** Keeps the fitted venue off so many pixels at the bottom of the map. */
  reserve(below: number): void {
    if (below === this.#below) return;
    this.#below = below;
    this.#refit();
  }

  #refit(): void {
    if (this.#fitted && this.#view.w > 0 && this.#view.h > 0) this.#camera = this.#fitCamera();
    this.redraw();
  }

  /** The host's colours are others now. What media queries change is noticed without it. */
  retheme(): void {
    this.#theme = readTheme(this.#host);
    this.#near.reset();
    this.redraw();
  }

  /** Draws labels of rows from now on. */
  labelRows(rows: RowLabels): void {
    this.#baseLayer.rows = rows;
    this.redraw();
  }

  /** Draws everything again, as after another wish of the fan. */
  redraw(): void {
    this.#redraw = true;
    this.#request();
  }

  get detail(): Detail {
    return detail(this.index.pitch * this.#camera.scale);
  }

  get camera(): Camera {
    return this.#camera;
  }

  /** CSS pixels. */
  get view(): Size {
    return this.#view;
  }

  fit(): void {
    this.fly(this.#fitCamera(), true);
  }

  /** Flies to a section; up close enough to choose seats when it fits so, and never closer than comfortable. */
  showSection(section: number): void {
    const b = this.index.sectionBox.subarray(section * 4, section * 4 + 4);
    const pad = this.index.pitch;
    const whole = fit({ x0: b[0] - pad, y0: b[1] - pad, x1: b[2] + pad, y1: b[3] + pad }, this.#view, 16);
    const closest = CHOOSING / this.index.pitch, readable = 11 / this.index.pitch;
    this.fly(clamp({ ...whole, scale: Math.max(readable, Math.min(closest, whole.scale)) }, this.limits));
  }

  get limits(): Limits {
    return { ...zoomLimits(this.#fitCamera().scale, this.index.pitch), bounds: this.index.bounds };
  }

  #fitCamera(): Camera {
    const margin = Math.min(MARGIN, this.#view.w * 0.03);
    const c = fit(this.index.bounds, this.#view, margin, Math.max(margin, this.#below));
    return { ...c, scale: Math.min(c.scale, CHOOSING * 1.2 / this.index.pitch) };
  }

  // ---- hands

  /** What is at a place of the map: a seat, or far away (and over an area) a section. */
  at(x: number, y: number): { seat: number } | { section: number } | null {
    const at = toChart(this.#camera, this.#view, x, y), near = this.detail.level === "near";
    const seat = near ? this.#seatNear(at) : -1;
    if (seat >= 0) return { seat };
    const section = sectionAt(this.index, at.x, at.y);
    return section >= 0 && (!near || this.index.chart.sections[section].general) ? { section } : null;
  }

  #tap(x: number, y: number): void {
    const at = this.at(x, y);
    if (!at) return;
    if ("seat" in at) this.events.seatTap?.(at.seat);
    else if (this.index.chart.sections[at.section].general) this.events.areaTap?.(at.section);
    else this.showSection(at.section);
  }

  /** A finger is about 22 pixels wide; between rows nothing is hit. */
  #seatNear(at: { x: number; y: number }): number {
    const reach = Math.max(this.index.pitch * 0.75, 11 / this.#camera.scale);
    return seatAt(this.index, at.x, at.y, Math.min(reach, this.index.pitch * 1.3));
  }

  // ---- camera

  #move(to: Camera): void {
    this.#flight = null;
    this.#moving = true;
    this.#fitted = false;
    this.#set(to);
  }

  #rest(): void {
    if (!this.#moving || this.#flight) return; // the finger that was lifted may have begun a flight
    this.#moving = false;
    this.redraw(); // at full sharpness
    this.events.lookingAt?.(this.looking);
  }

  #set(to: Camera): void {
    if (same(to, this.#camera)) return;
    this.#camera = to;
    this.redraw();
  }

  /** Moves the camera there, in a flight where the reader likes movement. fitted: it goes on to follow the size. */
  fly(to: Camera, fitted = false): void {
    this.#fitted = fitted;
    this.events.hover?.(null);
    if (this.#view.w === 0 || matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.#set(to);
      this.events.lookingAt?.(this.looking);
      return;
    }
    this.#flight = { from: this.#camera, to, start: performance.now() };
    this.#moving = true;
    this.#request();
  }

  #advance(now: number): void {
    const flight = this.#flight;
    if (!flight) return;
    const share = Math.min(1, (now - flight.start) / FLIGHT);
    this.#set(share < 1 ? between(flight.from, flight.to, Math.max(0, share)) : flight.to);
    if (share < 1) return this.#request();
    this.#flight = null;
    this.#rest();
  }

  /** The section in the middle of the view; -1 when the whole venue is in view. */
  get looking(): number {
    return this.#fitted || this.detail.level === "far" ? -1 : sectionAt(this.index, this.#camera.x, this.#camera.y);
  }

  // ---- frames

  #request(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame((now) => this.draw(now));
  }

  /**
   * Draws what has changed, without waiting for the next frame. now: performance.now(). The first picture of a page has no words: to find
   * its first fonts takes a browser longer than all the rest.
   */
  draw(now: number, words = true): void {
    this.#baseLayer.words = words;
    this.#frame = 0;
    if (this.#view.w === 0 || this.#view.h === 0) return; // invisible: the observer asks again
    this.#advance(now);
    const before = performance.now();
    const ratio = pixelRatio(devicePixelRatio, this.#moving, this.#late);
    const scene: Scene = {
      ratio, camera: this.#camera, view: this.#view, detail: this.detail, book: this.#book, theme: this.#theme,
    };
    const resized = this.#resize(ratio);
    if (this.#redraw || resized) this.#drawAll(scene);
    else this.#drawChanges(scene);
    this.#redraw = false;
    this.#dirty.clear();
    const took = performance.now() - before;
    this.#late = this.#late * 0.7 + took * 0.3;
    this.events.drew?.(took);
  }

  #drawAll(scene: Scene): void {
    const { level } = scene.detail;
    this.#baseLayer.draw(context(this.#base), scene);
    if (level !== "far") this.#layer(level).draw(context(this.#seats), scene);
    this.#seats.hidden = level === "far";
    this.#host.dataset.level = level;
  }

  #drawChanges(scene: Scene): void {
    const { level } = scene.detail, base = this.#baseLayer;
    if (level === "far" ? base.stale(this.#book) : base.staleCounts(this.#book)) base.draw(context(this.#base), scene);
    if (level !== "far") this.#layer(level).update(context(this.#seats), scene, [...this.#dirty]);
  }

  #layer(level: Level): NearLayer | DenseLayer {
    return level === "near" ? this.#near : this.#dense;
  }

  #resize(ratio: number): boolean {
    const w = Math.round(this.#view.w * ratio), h = Math.round(this.#view.h * ratio);
    if (this.#base.width === w && this.#base.height === h) return false;
    for (const c of [this.#base, this.#seats]) {
      c.width = w;
      c.height = h;
    }
    return true;
  }

  #watchSize(): void {
    const measure = (): void => {
      const view = { w: this.#host.clientWidth, h: this.#host.clientHeight };
      if (view.w === this.#view.w && view.h === this.#view.h) return;
      this.#view = view;
      this.#refit();
    };
    const observer = new ResizeObserver(measure);
    observer.observe(this.#host);
    measure(); // the observer speaks after the next frame's drawings, which would be one frame without a map
    this.#stop.push(() => observer.disconnect());
  }

  #watchTheme(): void {
    for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)", "(prefers-contrast: more)"]) {
      const media = matchMedia(query);
      const change = (): void => this.retheme();
      media.addEventListener("change", change);
      this.#stop.push(() => media.removeEventListener("change", change));
    }
  }
}

function canvas(name: string): HTMLCanvasElement {
  const element = document.createElement("canvas");
  element.className = name;
  element.setAttribute("aria-hidden", "true");
  return element;
}

const context = (c: HTMLCanvasElement): CanvasRenderingContext2D => c.getContext("2d")!;
