import { buildWeb } from '../scripts/build/web.ts'

let built: Promise<unknown> | undefined

/** What browsers load is in build/web, built once in this process from the current source. */
export const webIsBuilt = async () => await (built ??= buildWeb())
