import manifest from '../package.json' with { type: 'json' }

/** The version of this program; its only source is package.json. */
export const VERSION = manifest.version
