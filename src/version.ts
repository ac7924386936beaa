import manifest from '../package.json' with { type: 'json' }

/** The version of this program, written once: in package.json. */
export const VERSION = manifest.version
