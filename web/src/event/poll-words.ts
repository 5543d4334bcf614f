import type { PollWords } from "./live-sign.ts";
import { t } from "./words.ts";

export const pollWords: PollWords = { sign: t("livePolling"), why: t("livePollingWhy") };
