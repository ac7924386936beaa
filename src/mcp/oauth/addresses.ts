/** The resource that tokens are issued for. `baseUrl`: where clients reach the server. */
export const resourceOf = (baseUrl: string): string => `${baseUrl}/mcp`

/** The metadata that names the issuer (RFC 9728). */
export const metadataPath = '/.well-known/oauth-protected-resource/mcp'

/** The header that tells clients without a key where to authorise. */
export function challengeOf (baseUrl: string, wasSent: boolean): string {
  const error = wasSent ? 'error="invalid_token", ' : ''
  return `Bearer ${error}resource_metadata="${baseUrl}${metadataPath}"`
}
