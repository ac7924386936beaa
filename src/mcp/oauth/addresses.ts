/** For which tokens are given out. `baseUrl`: where clients reach the server. */
export const resourceOf = (baseUrl: string): string => `${baseUrl}/mcp`

/** Where it is said who gives them out (RFC 9728). */
export const metadataPath = '/.well-known/oauth-protected-resource/mcp'

/** How whoever comes to /mcp without a key is told where to get in. */
export function challengeOf (baseUrl: string, wasSent: boolean): string {
  const error = wasSent ? 'error="invalid_token", ' : ''
  return `Bearer ${error}resource_metadata="${baseUrl}${metadataPath}"`
}
