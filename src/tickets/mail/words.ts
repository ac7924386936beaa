import { textsInAll } from '../../locales/list.ts'

const ABOVE = textsInAll('mail').map(({ above }) => above)

/** Whether a line is the "write above this line" marker, in any language. */
export const isAbove = (line: string) => ABOVE.some((above) => line.includes(above))
