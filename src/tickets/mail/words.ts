import { textsInAll } from '../../locales/list.ts'

const ABOVE = textsInAll('mail').map(({ above }) => above)

/** Whether a line is the one, in any language, above which people are asked to write. */
export const isAbove = (line: string) => ABOVE.some((above) => line.includes(above))
