import type { Vault } from '../storage/vault.ts'

/**
 * Seals messages between neighbours with the key that all of them have: the carrier can neither read nor forge any of
 * them.
 */
export interface Sealing {
  /** Seals a text for a place, in characters that fit on one line. */
  close (where: string, text: string): string
  /** Opens it; undefined if it was sealed for another place, or by somebody else. */
  open (where: string, sealed: string): string | undefined
  /** The name used there for a name: the same for all neighbours, and meaningless to anybody else. */
  name (name: string): string
}

/** Seals with the installation's own key. */
export function sealedWith (vault: Pick<Vault, 'close' | 'open' | 'mac'>): Sealing {
  return {
    close: (where, text) => vault.close(`neighbours ${where}`, text).toString('base64'),
    open (where, sealed) {
      try {
        return vault.open(`neighbours ${where}`, Buffer.from(sealed, 'base64'))
      } catch {
        return undefined
      }
    },
    name: (name) => vault.mac('neighbours', name).toString('base64url')
  }
}
