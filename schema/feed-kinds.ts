/*
 * All kinds of feeds: the settings of each, which its reader receives, the OpenAPI document describes and the console
 * shows as a form. Plain data, so that a page can load it.
 */

/** A setting of a kind of feed: a text of at most `maxLength` characters that matches `pattern`. */
export interface FeedField {
  name: string
  isRequired: boolean
  pattern: string
  maxLength: number
  description: string
  example: string
  /** Its allowed values, if they are few. */
  choices?: readonly string[]
}

interface FeedKindDefinition {
  /** Its description in the OpenAPI document. */
  description: string
  fields: readonly FeedField[]
  /** Whether it needs a secret, and what that is. */
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
    description: 'A folder on the server, including subfolders. The operator lists the folders that may be watched in AGENTHALL_FOLDERS',
    fields: [line('path', 'Where it is', '/srv/docs', { pattern: '^/[^\\x00]*$' })],
    secret: null
  },
  git: {
    description: 'The files of a repository, read from the archive that its server provides (`.tar.gz`)',
    fields: [
      line('url', 'URL of the archive', 'https://github.com/shop/docs/archive/refs/heads/main.tar.gz', { pattern: '^https?://[^\\s#]+$' }),
      line('path', 'Only files below this folder', 'docs/help', { ...optional, pattern: '^[^/\\x00][^\\x00]*$' })
    ],
    secret: { isRequired: false, description: 'Token of a private repository, sent as a bearer token' }
  },
  sitemap: {
    description: 'The pages listed in a sitemap; `lastmod` only decides when a page is checked, not whether it has changed',
    fields: [line('url', 'URL of the sitemap', 'https://example.com/sitemap.xml', { pattern: '^https?://[^\\s#]+$' })],
    secret: null
  },
  rss: {
    description: 'The pages listed in an RSS or Atom feed. Pages that it no longer lists are kept',
    fields: [line('url', 'URL of the feed', 'https://example.com/blog/feed.xml', { pattern: '^https?://[^\\s#]+$' })],
    secret: null
  },
  s3: {
    description: 'The objects of a bucket in Amazon S3 or an S3-compatible service',
    fields: [
      line('url', 'URL of the service', 'https://s3.eu-central-1.amazonaws.com', { pattern: ADDRESS }),
      line('bucket', 'Name of the bucket', 'shop-docs', { pattern: '^[a-z0-9][a-z0-9._-]+$', maxLength: 63 }),
      line('region', 'Region of the bucket', 'eu-central-1', { pattern: '^[a-z0-9-]+$', maxLength: 40 }),
      line('access_key', 'Id of the access key', 'AKIAIOSFODNN7EXAMPLE', { pattern: '^[\\x21-\\x7e]+$', maxLength: 128 }),
      line('prefix', 'Only objects with this name prefix', 'help/', { ...optional, pattern: '^[^\\x00]+$' })
    ],
    secret: { isRequired: true, description: 'The secret access key' }
  },
  drive_folder: {
    description: 'The files of a Google Drive folder that is shared with the service account of this server',
    fields: [line('folder', 'Id of the folder, from its URL', '1aBcDeFgHiJkLmNoPqRsTuVwXyZ', { pattern: '^[\\w-]+$', maxLength: 200 })],
    secret: null
  },
  notion: {
    description: 'The Notion pages that are shared with an integration',
    fields: [],
    secret: { isRequired: true, description: 'The secret of the internal integration' }
  },
  confluence: {
    description: 'The pages of a Confluence space',
    fields: [
      line('url', 'URL of Confluence', 'https://shop.atlassian.net/wiki', { pattern: ADDRESS }),
      line('space', 'Key of the space', 'HELP', { pattern: '^[A-Za-z0-9~_.-]+$', maxLength: 255 }),
      line('user', 'Email address that the token belongs to. Without it the token is sent as a bearer token', 'ada@example.com', { ...optional, pattern: '^[^\\s:]+$' })
    ],
    secret: { isRequired: true, description: 'An API token, or a personal access token' }
  },
  zendesk: {
    description: 'The published articles of a Zendesk help centre',
    fields: [
      line('url', 'URL of Zendesk', 'https://shop.zendesk.com', { pattern: ADDRESS }),
      line('locale', 'Only articles in this language', 'en-us', { ...optional, pattern: '^[A-Za-z-]+$', maxLength: 20 }),
      line('user', 'Email address that the token belongs to', 'ada@example.com', { ...optional, pattern: '^[^\\s:]+$' })
    ],
    secret: { isRequired: false, description: 'An API token, used with `user`; needed if articles are not public' }
  },
  intercom: {
    description: 'The published articles in Intercom',
    fields: [
      line('region', 'Where the workspace is hosted', 'eu', { ...optional, pattern: '^(?:us|eu|au)$', maxLength: 2, choices: ['us', 'eu', 'au'] })
    ],
    secret: { isRequired: true, description: 'The access token of an app in the workspace' }
  },
  helpscout: {
    description: 'The published articles in Help Scout Docs',
    fields: [
      line('collection', 'Id of the only collection to read', '5214c77c45667acd25394b51', { ...optional, pattern: '^[0-9a-f]+$', maxLength: 40 })
    ],
    secret: { isRequired: true, description: 'The key of the Docs API' }
  }
} as const satisfies Record<string, FeedKindDefinition>

/** Where the knowledge of a feed comes from. */
export type FeedKind = keyof typeof FEED_KINDS

/** A kind, whichever it is. */
export const feedKind = (kind: FeedKind): FeedKindDefinition => FEED_KINDS[kind]
