import type { BusinessRecord } from '../../schema/business.ts'
import type { Id } from '../../schema/common.ts'
import type { Kernel } from '../kernel/index.ts'
import { LINK_MAIL, linkMails, linkMailSender, type LinkMails } from './sign-in/mail.ts'
import { sqlitePasskeyStore } from './sign-in/passkeys.sqlite.ts'
import { signInRows, type SignInRows } from './sign-in/rows.ts'
import type { PasskeyStore, SignInStore } from './sign-in/store.ts'
import { sqliteSignInStore } from './sign-in/store.sqlite.ts'
import type { AccessStore } from './store.ts'
import { sqliteAccessStore } from './store.sqlite.ts'

/** Users, their keys, and how they sign in. */
export interface Access {
  store: AccessStore
  signIn: SignInStore
  passkeys: PasskeyStore
  /** For invitations, which are links too. */
  links: { rows: SignInRows, mails: LinkMails }
}

/** Opens it, and mails links from now on where mail is set up. */
export function openAccess (kernel: Kernel, { business }: {
  business: { get: (owner: Id) => Promise<Pick<BusinessRecord, 'gaps_mail'>> }
}): Access {
  const { outbox, vault, mail } = kernel
  const links = { rows: signInRows(kernel), mails: linkMails(outbox, mail !== undefined) }
  if (mail) {
    const mac = (text: string) => vault.mac('mailed links', text)
    kernel.sendBy(LINK_MAIL, linkMailSender({ ...kernel, ...mail, ...links, mac, business }))
  }
  return {
    store: sqliteAccessStore(kernel),
    signIn: sqliteSignInStore({ ...kernel, ...links }),
    passkeys: sqlitePasskeyStore(kernel),
    links
  }
}
