// The part for networks that let no socket through.
import { pollWords } from "../event/poll-words.ts";
import { fallback } from "../live/fallback.ts";
import { here } from "./here.ts";

here(import.meta.url, { ...fallback, words: pollWords });
