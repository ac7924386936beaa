import { api } from './api.ts'

/** Whether this browser knows passkeys; over plain http it has none but on localhost. */
export function hasPasskeys (): boolean {
  return typeof PublicKeyCredential !== 'undefined' && 'parseRequestOptionsFromJSON' in PublicKeyCredential
}

/** Signs in with a passkey; false when the person thought better of it. Throws what the server refuses. */
export async function askForPasskey (): Promise<boolean> {
  const { data } = await api.post<PublicKeyCredentialRequestOptionsJSON>('/session/passkey/options')
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(data)
  const credential = await navigator.credentials.get({ publicKey }).catch(() => null) as PublicKeyCredential | null
  if (!credential) return false
  await api.post('/session/passkey', { response: credential.toJSON() })
  return true
}

/** Makes a passkey for who is signed in; false when the person thought better of it. */
export async function addPasskey (name: string): Promise<boolean> {
  const { data } = await api.post<PublicKeyCredentialCreationOptionsJSON>('/me/passkeys/options')
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(data)
  const credential = await navigator.credentials.create({ publicKey }).catch(() => null) as PublicKeyCredential | null
  if (!credential) return false
  await api.post('/me/passkeys', { name, response: credential.toJSON() })
  return true
}
