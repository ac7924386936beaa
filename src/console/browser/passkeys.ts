import { api } from './api.ts'

/** Whether this browser supports passkeys; over plain http only on localhost. */
export function hasPasskeys (): boolean {
  return typeof PublicKeyCredential !== 'undefined' && 'parseRequestOptionsFromJSON' in PublicKeyCredential
}

/** Signs in with a passkey; false if the user cancelled. Throws the server's refusal. */
export async function askForPasskey (): Promise<boolean> {
  const { data } = await api.post<PublicKeyCredentialRequestOptionsJSON>('/session/passkey/options')
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(data)
  const credential = await navigator.credentials.get({ publicKey }).catch(() => null) as PublicKeyCredential | null
  if (!credential) return false
  await api.post('/session/passkey', { response: credential.toJSON() })
  return true
}

/** Creates a passkey for the signed-in user; false if the user cancelled. */
export async function addPasskey (name: string): Promise<boolean> {
  const { data } = await api.post<PublicKeyCredentialCreationOptionsJSON>('/me/passkeys/options')
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(data)
  const credential = await navigator.credentials.create({ publicKey }).catch(() => null) as PublicKeyCredential | null
  if (!credential) return false
  await api.post('/me/passkeys', { name, response: credential.toJSON() })
  return true
}
