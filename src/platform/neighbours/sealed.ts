import type { Vault } from '../storage/vault.ts'

/**
 * What is said to neighbours, sealed with the key that all of them have: whatever carries it can read none of it, and
 * can say nothing in their name.
 */
export interface Sealing {
  /** Seals a text for a place, in letters that stand in one line. */
  close (where: string, text: string): string
  /** Opens it; undefined where it was sealed for another place, or by somebody else. */
  open (where: string, sealed: string): string | undefined
  /** What a name is called there: the same for all neighbours, and nobody else can tell of whom it is. */
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
