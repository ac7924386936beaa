/*
 * The Model Context Protocol over HTTP, for a server without sessions: revision 2026-07-28
 * (https://modelcontextprotocol.io/specification/2026-07-28), and for older clients 2025-11-25 and 2025-06-18, whose
 * handshake is answered and not remembered.
 */

/** The revision whose requests are self-contained. */
export const STATELESS = '2026-07-28'
/** Revisions that begin with `initialize`, the newest first. */
const WITH_HANDSHAKE = ['2025-11-25', '2025-06-18', '2025-03-26']
const SUPPORTED = [STATELESS, ...WITH_HANDSHAKE]

const META = 'io.modelcontextprotocol'
const VERSION_KEY = `${META}/protocolVersion`
export const SERVER_KEY = `${META}/serverInfo`
export const CLIENT_CAPABILITIES_KEY = `${META}/clientCapabilities`

/** Errors of a request, by the protocol's names. */
export const ERRORS = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  headerMismatch: -32020,
  unsupportedVersion: -32022
} as const

/** A request that cannot be answered, with its HTTP status. */
export class ProtocolError extends Error {
  readonly code: number
  readonly status: number
  readonly data: object | undefined

  constructor (code: keyof typeof ERRORS, status: number, message: string, data?: object) {
    super(message)
    this.code = ERRORS[code]
    this.status = status
    this.data = data
  }
}

/** One request or notification of a client. */
export interface Message {
  /** Undefined for a notification, which is not answered. */
  id: string | number | undefined
  method: string
  params: Record<string, unknown>
  /** Whether it is of the revision without handshake. */
  isStateless: boolean
  version: string
}

type Headers = Record<string, string | string[] | undefined>

/**
 * Parses a request. Throws `ProtocolError` for invalid ones, for unsupported revisions, if headers contradict the body
 * (proxies decide by the headers), and if a request without a session omits its revision or the client's capabilities.
 */
export function readMessage (body: unknown, headers: Headers): Message {
  if (!isObject(body) || body['jsonrpc'] !== '2.0' || typeof body['method'] !== 'string') {
    throw new ProtocolError('invalidRequest', 400, 'Send one JSON-RPC 2.0 request with a method.')
  }
  const { id, method, params = {} } = body
  if (!isObject(params) || !(id === undefined || typeof id === 'string' || typeof id === 'number')) {
    throw new ProtocolError('invalidRequest', 400, 'id must be a text or a number, and params an object.')
  }
  const meta = isObject(params['_meta']) ? params['_meta'] : {}
  const said = headers['mcp-protocol-version']
  if (said !== undefined && meta[VERSION_KEY] !== undefined && meta[VERSION_KEY] !== said) {
    throw mismatch('mcp-protocol-version')
  }
  const version = meta[VERSION_KEY] ?? said ?? (method === 'server/discover' ? STATELESS : WITH_HANDSHAKE.at(-1)!)
  if (typeof version !== 'string' || (!SUPPORTED.includes(version) && method !== 'initialize')) {
    throw new ProtocolError(
      'unsupportedVersion', 400, 'This revision of the protocol is not supported.',
      { supported: SUPPORTED, requested: String(version) }
    )
  }
  const isStateless = version === STATELESS
  if (isStateless) checkHeaders({ method, params }, version, headers)
  // Requests of this revision are self-contained: missing values are not guessed.
  const isWhole = meta[VERSION_KEY] !== undefined && isObject(meta[CLIENT_CAPABILITIES_KEY])
  if (isStateless && id !== undefined && !isWhole) {
    throw new ProtocolError('invalidParams', 400, `_meta must have ${VERSION_KEY} and ${CLIENT_CAPABILITIES_KEY}.`)
  }
  return { id, method, params, isStateless, version }
}

/** The parameter that names a method's target. */
const NAMED_BY: Record<string, string> = { 'tools/call': 'name', 'resources/read': 'uri' }

/** Refuses a request whose headers are missing or name another revision, method or target than its body. */
function checkHeaders (
  { method, params }: Pick<Message, 'method' | 'params'>, version: string, headers: Headers
) {
  const name = Object.hasOwn(NAMED_BY, method) ? params[NAMED_BY[method]!] : undefined
  const wanted = { 'mcp-protocol-version': version, 'mcp-method': method, ...(name !== undefined && { 'mcp-name': name }) }
  for (const [header, value] of Object.entries(wanted)) {
    if (headers[header] !== value) throw mismatch(header)
  }
}

const mismatch = (header: string) =>
  new ProtocolError('headerMismatch', 400, `The header ${header} must match the body.`)

/** The revision negotiated with a client that requests one by `initialize`. */
export function agreed (wanted: unknown): string {
  return WITH_HANDSHAKE.find((one) => one === wanted) ?? WITH_HANDSHAKE[0]!
}

/** The revisions as `server/discover` returns them. */
export const supportedVersions: readonly string[] = SUPPORTED

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
