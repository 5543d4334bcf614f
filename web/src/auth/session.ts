import { json } from "../api/client.ts";
import type { Session } from "../api/types.ts";
import { clock } from "../base/clock.ts";
import { lasting } from "../base/storage.ts";
import { language } from "../i18n/speech.ts";

const KEY = "plateia.session";

/** The account session of this browser, or null. */
export function session(): Session | null {
  const text = lasting.get(KEY);
  if (!text) return null;
  try {
    const kept = JSON.parse(text) as Session;
    if (Date.parse(kept.expiresAt) > clock.now() && kept.sessionToken) return kept;
  } catch {
    // written by something else: treated as signed out
  }
  lasting.remove(KEY);
  return null;
}

export const sessionToken = (): string | null => session()?.sessionToken ?? null;

/** Whether another tab has signed in or out. */
export const isOfSession = ({ key }: StorageEvent): boolean => key === KEY || key === null;

export const signOut = (): void => lasting.remove(KEY);

export interface CodeSent { devInbox?: string }

/** Has a one-time code sent. In development the answer says where to read it. */
export const requestCode = async (email: string): Promise<CodeSent> =>
  (await json<CodeSent | undefined>("/v1/sessions/code", { method: "POST", body: { email, locale: language } })) ?? {};

/** Turns a code into this browser's session. */
export async function signIn(email: string, code: string): Promise<Session> {
  const made = await json<Session>("/v1/sessions", { method: "POST", body: { email, code } });
  keepSession(made);
  return made;
}

/** Makes this the browser's session. */
export const keepSession = (made: Session): void => lasting.set(KEY, JSON.stringify(made));
