import { createPrivateKey, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import type { Clock } from '../platform/clock.ts'
import type { Egress, FetchedBytes, FetchOptions } from '../platform/net/egress.ts'
import { FORMATS } from '../reading/formats.ts'
import { ownProperty } from '../platform/objects.ts'

/** Why Google Drive returned nothing. */
type DriveCode =
  | 'google_drive_not_configured'
  | 'google_drive_denied'
  | 'google_drive_not_found'
  | 'google_drive_unsupported'
  | 'google_drive_unavailable'

/** An error of Google Drive. The message is a sentence for a person and never contains a key or a token. */
export class DriveError extends Error {
  readonly code: DriveCode
  readonly retryable: boolean

  constructor (code: DriveCode, message: string, retryable = false) {
    super(message)
    this.name = 'DriveError'
    this.code = code
    this.retryable = retryable
  }
}

/** A file or folder as Drive describes it; a shortcut is described as its target. */
interface DriveItem {
  id: string
  name: string
  isFolder: boolean
  mimeType: string
  /** The link a person opens. */
  webViewLink: string | null
  /**
   * Changes whenever the content may have changed: if unchanged, nothing need be downloaded. Empty for a listed
   * shortcut: describe it.
   */
  revision: string
}

/** A file's content: as stored, or in the office format that a Google document is exported to. */
interface DriveFile { bytes: Uint8Array, contentType: string }

/**
 * Reads Google Drive as the service account of the settings file. Throws a DriveError, an EgressError, or the signal's
 * reason.
 */
export interface Drive {
  describe (id: string, signal?: AbortSignal): Promise<DriveItem>
  /** The files directly in a folder, by name, without subfolders. At most 500. */
  list (folder: string, signal?: AbortSignal): Promise<DriveItem[]>
  /** The content of a described or listed file, of at most `maxBytes`. */
  download (file: DriveItem, options: { maxBytes: number, signal?: AbortSignal }): Promise<DriveFile>
}

/** Dependencies of reading Drive. */
interface DriveParts {
  fetch: Egress['fetch']
  clock: Clock
  /** The path of the service account's JSON file, as issued by Google; null if none is set. */
  accountFile: string | null
  /** The base URL of the Drive API. */
  api?: string
}

interface ServiceAccount { email: string, key: KeyObject, keyId: string | undefined, tokenUri: string }

const SETTING = 'AGENTHALL_GOOGLE_SERVICE_ACCOUNT'
const SCOPE = 'https://www.googleapis.com/auth/drive.readonly'
const FIELDS = 'id,name,mimeType,webViewLink,modifiedTime,md5Checksum,shortcutDetails(targetId,targetMimeType)'
const MAX_LISTS = 50
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
const MAX_FILES = 500
const FOLDER = 'application/vnd.google-apps.folder'
const SHORTCUT = 'application/vnd.google-apps.shortcut'
/** Google's own documents have no bytes; these are their export formats. */
const EXPORTS: Record<string, string> = {
  'application/vnd.google-apps.document': FORMATS.docx.types[0],
  'application/vnd.google-apps.spreadsheet': FORMATS.xlsx.types[0],
  'application/vnd.google-apps.presentation': FORMATS.pptx.types[0]
}

/**
 * Opens Google Drive. Reads the settings file when first needed, so that a missing one is an error response, not a
 * server that does not start.
 */
export function googleDrive ({
  fetch,
  clock,
  accountFile,
  api = 'https://www.googleapis.com/drive/v3'
}: DriveParts): Drive {
  let token: { text: string, until: number } | undefined

  async function tokenFor (signal: AbortSignal | undefined): Promise<string> {
    if (token && clock.monotonic() < token.until) return token.text
    const account = await readAccount(accountFile)
    const answer = await fetch(account.tokenUri, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: assertionOf(account, clock)
      }).toString(),
      maxBytes: MAX_ANSWER_BYTES,
      anyStatus: true,
      signal
    })
    if (answer.status >= 500 || answer.status === 429) throw unavailable(answer.status)
    const { access_token: text, expires_in: seconds } = json(answer)
    if (answer.status !== 200 || typeof text !== 'string') {
      throw new DriveError(
        'google_drive_denied',
        `Google does not accept the service account that ${SETTING} names. Check that its key was not deleted and that this machine's clock is right.`
      )
    }
    // A minute early, so that no token expires during a request.
    token = { text, until: clock.monotonic() + (Number(seconds) - 60) * 1000 }
    return text
  }

  async function ask (
    path: string, query: Record<string, string>, options: Pick<FetchOptions, 'maxBytes' | 'signal'>
  ): Promise<FetchedBytes> {
    const authorization = `Bearer ${await tokenFor(options.signal)}`
    const answer = await fetch(`${api}/${path}?${new URLSearchParams(query)}`, {
      ...options, headers: { authorization }, anyStatus: true
    })
    if (answer.status === 200) return answer
    // Revoked early: the next try requests a new one.
    if (answer.status === 401) token = undefined
    throw refusal(answer)
  }

  const drive: Drive = {
    async describe (id, signal) {
      const found = json(
        await ask(
          `files/${checked(id)}`,
          { fields: FIELDS, supportsAllDrives: 'true' },
          { maxBytes: MAX_ANSWER_BYTES, signal }
        )
      )
      if (found['mimeType'] !== SHORTCUT) return itemOf(found)
      return itemOf(
        json(
          await ask(
            `files/${checked(itemOf(found).id)}`,
            { fields: FIELDS, supportsAllDrives: 'true' },
            { maxBytes: MAX_ANSWER_BYTES, signal }
          )
        )
      )
    },

    async list (folder, signal) {
      const query = {
        q: `'${checked(folder)}' in parents and trashed = false and mimeType != '${FOLDER}'`,
        fields: `nextPageToken,files(${FIELDS})`,
        orderBy: 'name',
        pageSize: '100',
        supportsAllDrives: 'true',
        includeItemsFromAllDrives: 'true'
      }
      const items: DriveItem[] = []
      let next = {}
      for (let lists = 0; lists < MAX_LISTS && items.length < MAX_FILES; lists++) {
        const { files = [], nextPageToken } = json(
          await ask('files', { ...query, ...next }, { maxBytes: MAX_ANSWER_BYTES, signal })
        )
        items.push(...(files as Array<Record<string, unknown>>).map(itemOf).filter(({ isFolder }) => !isFolder))
        if (typeof nextPageToken !== 'string') break
        next = { pageToken: nextPageToken }
      }
      return items.slice(0, MAX_FILES)
    },

    async download (file, options) {
      const exported = ownProperty(EXPORTS, file.mimeType)
      if (!exported && file.mimeType.startsWith('application/vnd.google-apps.')) {
        throw new DriveError(
          'google_drive_unsupported',
          `"${file.name}" is not a document, sheet or presentation. Save it as a file of another kind in Google Drive and use that.`
        )
      }
      const id = checked(file.id)
      const { bytes, contentType } = exported
        ? await ask(`files/${id}/export`, { mimeType: exported }, options)
        : await ask(`files/${id}`, { alt: 'media', supportsAllDrives: 'true' }, options)
      return { bytes, contentType: exported ?? contentType }
    }
  }
  return drive
}

async function readAccount (file: string | null): Promise<ServiceAccount> {
  if (file === null) {
    throw new DriveError(
      'google_drive_not_configured',
      `Google Drive is not set up on this server. Set ${SETTING} to the path of a service account's JSON file.`
    )
  }
  try {
    // Reading a pipe would wait without end, and a device never ends.
    if (!(await stat(file)).isFile()) throw new Error('not a file')
    const {
      client_email: email, private_key: key, private_key_id: keyId, token_uri: tokenUri
    } = JSON.parse(await readFile(file, 'utf8'))
    if (typeof email !== 'string' || !URL.canParse(tokenUri)) throw new Error('incomplete')
    return { email, key: createPrivateKey(key), keyId, tokenUri }
  } catch {
    // Without its cause: a parser's complaint can quote the key.
    throw new DriveError(
      'google_drive_not_configured',
      `The file that ${SETTING} names cannot be read as a service account's JSON file. Download it again from Google.`
    )
  }
}

/** A signed assertion of our identity: RFC 7523. */
function assertionOf ({ email, key, keyId, tokenUri }: ServiceAccount, clock: Clock): string {
  const now = Math.floor(clock.micros() / 1_000_000)
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'RS256', typ: 'JWT', kid: keyId })}.${part({ iss: email, scope: SCOPE, aud: tokenUri, iat: now, exp: now + 3600 })}`
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`
}

/** An id that is safe in a path or a query. */
function checked (id: string): string {
  if (/^[\w-]{1,200}$/.test(id)) return id
  throw new DriveError(
    'google_drive_not_found',
    'This is not a Google Drive id. It is the long string in the address of the file, after /d/ or /folders/.'
  )
}

function itemOf (found: Record<string, unknown>): DriveItem {
  const {
    id = '', name = '', mimeType = '', webViewLink = null, modifiedTime = '', md5Checksum = modifiedTime
  } = found as Record<string, string | undefined>
  const { targetId = id, targetMimeType = mimeType } = (found['shortcutDetails'] ?? {}) as Record<
    string,
    string | undefined
  >
  return {
    id: targetId,
    name,
    mimeType: targetMimeType,
    isFolder: targetMimeType === FOLDER,
    webViewLink,
    revision: mimeType === SHORTCUT ? '' : md5Checksum
  }
}

function json ({ bytes }: FetchedBytes): Record<string, unknown> {
  try {
    return Object(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    return {}
  }
}

function refusal (answer: FetchedBytes): DriveError {
  const error = (json(answer)['error'] ?? {}) as { errors?: Array<{ reason?: string }> }
  const reason = error.errors?.[0]?.reason ?? ''
  if (answer.status === 429 || answer.status >= 500 || /rateLimit|quota|dailyLimit/i.test(reason)) {
    return unavailable(answer.status)
  }
  if (answer.status === 404) {
    return new DriveError(
      'google_drive_not_found',
      "Google Drive has no such file, or it is not shared with the service account. Share it with the account's e-mail address."
    )
  }
  if (reason === 'exportSizeLimitExceeded') {
    return new DriveError(
      'google_drive_unsupported',
      'Google does not export documents this large. Save it as a file in Google Drive and use that.'
    )
  }
  return new DriveError(
    'google_drive_denied',
    "Google Drive does not let the service account read this file. Share it with the account's e-mail address, and allow viewers to download it.",
    answer.status === 401
  )
}

function unavailable (status: number): DriveError {
  return new DriveError(
    'google_drive_unavailable', `Google Drive answered ${status}: it is busy. Try again later.`, true
  )
}
