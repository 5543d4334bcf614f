import { base } from "./en/base.ts";
import { list } from "./en/list.ts";
import { speech } from "./speech.ts";

/** The texts of the list of events. */
export const { t, plural } = speech({ ...base, ...list });
