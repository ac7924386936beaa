import { buildWeb } from '../scripts/build/web.ts'

let built: Promise<unknown> | undefined

/** What browsers load stands in build/web, made once in this process from the source as it is now. */
export const webIsBuilt = async () => await (built ??= buildWeb())
