import { startFrame } from "../embed/frame-page.ts";

startFrame(() => null);
