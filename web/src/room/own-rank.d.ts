/** The script's address, as the build names it. */
declare const address: string;
export default address;
export function rank(seed: string, event: string, epoch: number, pseudonym: string): Promise<string>;
