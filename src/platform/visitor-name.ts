/** The facts about a visitor that determine what to call them. */
export interface Called { name: string | null, place: string | null }

/**
 * The team's name for a visitor: their name, else where they seem to be, worded as in `from` (`Visitor from {place}`);
 * undefined if neither is known. Browsers load this.
 */
export const calledBy = ({ name, place }: Called, from: string): string | undefined =>
  name ?? (place === null ? undefined : from.replace('{place}', () => place))
