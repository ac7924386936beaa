/*
 * Where knowledge can come from, in one list: what each kind is told, which its reader is handed, the document
 * describes and the console asks for. Plain data, so that a page can load it.
 */

/** One thing that a kind of feed is told: a text of at most `maxLength` characters that `pattern` matches. */
export interface FeedField {
  name: string
  isRequired: boolean
  pattern: string
  maxLength: number
  description: string
  example: string
  /** The values that it may have, where they are few. */
  choices?: readonly string[]
}

interface FeedKindDefinition {
  /** What a person reads of it in the document. */
  description: string
  fields: readonly FeedField[]
  /** Whether it takes a secret, and what that is. */
  secret: { isRequired: boolean, description: string } | null
}

const ADDRESS = '^https?://[^\\s?#]+$'
const line = (
  name: string, description: string, example: string, more: Partial<FeedField> = {}
): FeedField => ({ name, isRequired: true, pattern: '^[^\\s\\x00]+$', maxLength: 500, description, example, ...more })
const optional = { isRequired: false }

/** Every kind of feed, by its name. */
export const FEED_KINDS = {
  folder: {
    description: 'A folder on the server, with the folders in it. The operator names which may be watched in AGENTHALL_FOLDERS',
    fields: [line('path', 'Where it is', '/srv/docs', { pattern: '^/[^\\x00]*$' })],
    secret: null
  },
  git: {
    description: 'The files of a repository, as the archive that its server packs (`.tar.gz`)',
    fields: [
      line('url', 'Address of the archive', 'https://github.com/shop/docs/archive/refs/heads/main.tar.gz', { pattern: '^https?://[^\\s#]+$' }),
      line('path', 'Only what lies below this folder', 'docs/help', { ...optional, pattern: '^[^/\\x00][^\\x00]*$' })
    ],
    secret: { isRequired: false, description: 'Token of a private repository, sent as a bearer token' }
  },
  sitemap: {
    description: 'The pages that a sitemap lists; `lastmod` says when to look, not what has changed',
    fields: [line('url', 'Address of the sitemap', 'https://example.com/sitemap.xml', { pattern: '^https?://[^\\s#]+$' })],
    secret: null
  },
  rss: {
    description: 'The pages that an RSS or Atom feed lists. Those that it no longer lists stay',
    fields: [line('url', 'Address of the feed', 'https://example.com/blog/feed.xml', { pattern: '^https?://[^\\s#]+$' })],
    secret: null
  },
  s3: {
    description: 'The objects of a bucket of Amazon S3, or of anything that speaks its protocol',
    fields: [
      line('url', 'Where the service is', 'https://s3.eu-central-1.amazonaws.com', { pattern: ADDRESS }),
      line('bucket', 'Name of the bucket', 'shop-docs', { pattern: '^[a-z0-9][a-z0-9._-]+$', maxLength: 63 }),
      line('region', 'Its region', 'eu-central-1', { pattern: '^[a-z0-9-]+$', maxLength: 40 }),
      line('access_key', 'Id of the access key', 'AKIAIOSFODNN7EXAMPLE', { pattern: '^[\\x21-\\x7e]+$', maxLength: 128 }),
      line('prefix', 'Only objects whose names begin so', 'help/', { ...optional, pattern: '^[^\\x00]+$' })
    ],
    secret: { isRequired: true, description: 'The secret access key' }
  },
  drive_folder: {
    description: 'The files of a folder of Google Drive that is shared with the service account of this server',
    fields: [line('folder', 'The id of the folder, from its address', '1aBcDeFgHiJkLmNoPqRsTuVwXyZ', { pattern: '^[\\w-]+$', maxLength: 200 })],
    secret: null
  },
  notion: {
    description: 'The pages of Notion that are shared with an integration',
    fields: [],
    secret: { isRequired: true, description: 'The secret of the internal integration' }
  },
  confluence: {
    description: 'The pages of a space of Confluence',
    fields: [
      line('url', 'Where Confluence is', 'https://shop.atlassian.net/wiki', { pattern: ADDRESS }),
      line('space', 'Key of the space', 'HELP', { pattern: '^[A-Za-z0-9~_.-]+$', maxLength: 255 }),
      line('user', 'E-mail address that the token belongs to. Without it the token is sent as a bearer token', 'ada@example.com', { ...optional, pattern: '^[^\\s:]+$' })
    ],
    secret: { isRequired: true, description: 'An API token, or a personal access token' }
  },
  zendesk: {
    description: 'The published articles of a help centre of Zendesk',
    fields: [
      line('url', 'Where Zendesk is', 'https://shop.zendesk.com', { pattern: ADDRESS }),
      line('locale', 'Only articles in this language', 'en-us', { ...optional, pattern: '^[A-Za-z-]+$', maxLength: 20 }),
      line('user', 'E-mail address that the token belongs to', 'ada@example.com', { ...optional, pattern: '^[^\\s:]+$' })
    ],
    secret: { isRequired: false, description: 'An API token, with `user`; needed where articles are not public' }
  },
  intercom: {
    description: 'The published articles of Intercom',
    fields: [
      line('region', 'Where the workspace is hosted', 'eu', { ...optional, pattern: '^(?:us|eu|au)$', maxLength: 2, choices: ['us', 'eu', 'au'] })
    ],
    secret: { isRequired: true, description: 'The access token of an app of the workspace' }
  },
  helpscout: {
    description: 'The published articles of Help Scout Docs',
    fields: [
      line('collection', 'Only this collection, by its id', '5214c77c45667acd25394b51', { ...optional, pattern: '^[0-9a-f]+$', maxLength: 40 })
    ],
    secret: { isRequired: true, description: 'The key of the Docs API' }
  }
} as const satisfies Record<string, FeedKindDefinition>

/** Where the knowledge of a feed comes from. */
export type FeedKind = keyof typeof FEED_KINDS

/** What a kind is, whichever it is. */
export const feedKind = (kind: FeedKind): FeedKindDefinition => FEED_KINDS[kind]
