import { Type, type Static } from '@sinclair/typebox'
import { Permissions, User } from './access.ts'
import { Id, Timestamp, closed, email, nullable, oneOf, text, title } from './common.ts'

/** A password as it is chosen; the rules that need more than its form are in src/access/sign-in/password.ts. */
const NewPassword = Type.String({
  minLength: 12, maxLength: 200, description: 'At least 12 characters', examples: ['correct horse battery staple']
})
const Password = Type.String({ minLength: 1, maxLength: 200 })
/** 32 random bytes. */
const Token = Type.String({ minLength: 1, maxLength: 100, description: 'What follows the last / in the link' })

/** A password as the system keeps it: a PHC string of argon2id. */
export const PasswordRecord = Type.Object({ user: Id, hash: Type.String(), changed_at: Timestamp })
export type PasswordRecord = Static<typeof PasswordRecord>

/** That somebody has signed in, as the system keeps it: of the cookie there is only a digest. */
export const SessionRecord = Type.Object({
  id: Id,
  user: Id,
  digest: Type.String(),
  /** The account acted for where a request names none. */
  account: nullable(Id),
  /** What the browser says of itself. */
  browser: text(300),
  created_at: Timestamp,
  last_used_at: Timestamp,
  expires_at: Timestamp
})
export type SessionRecord = Static<typeof SessionRecord>

/** A session as answers show it. */
export const Session = Type.Composite([Type.Omit(SessionRecord, ['digest', 'user', 'account']), Type.Object({
  is_current: Type.Boolean({ description: 'Whether it is the one that asks' })
})], { title: 'Session' })
export type Session = Static<typeof Session>

/** What a link is for: a first password, a new one, or joining a team. */
export const LinkKind = oneOf(['setup', 'reset', 'invitation'])
export type LinkKind = Static<typeof LinkKind>

/** A link that opens something once, as the system keeps it: of its token there is only a digest. */
export const LinkRecord = Type.Object({
  id: Id,
  kind: LinkKind,
  digest: Type.String(),
  /** The same link as it was mailed, under a token of its own. */
  mailed_digest: nullable(Type.String()),
  /** Whose password it sets; of an invitation null. */
  user: nullable(Id),
  /** Of an invitation: where to, as what, whom, and by whom. */
  account: nullable(Id),
  permissions: Type.Unsafe<Static<typeof Permissions> | null>({}),
  email: nullable(email()),
  inviter: nullable(Id),
  created_at: Timestamp,
  expires_at: Timestamp,
  used_at: nullable(Timestamp)
})
export type LinkRecord = Static<typeof LinkRecord>

/** A passkey as the system keeps it. */
export const PasskeyRecord = Type.Object({
  id: Id,
  user: Id,
  /** What the authenticator calls it, in base64url. */
  credential: Type.String(),
  public_key: Type.Unsafe<Buffer>({}),
  /** How often it was used, as the authenticator counts; 0 where it does not. */
  counter: Type.Integer(),
  transports: Type.Array(Type.String()),
  name: title(200),
  created_at: Timestamp,
  last_used_at: nullable(Timestamp)
})
export type PasskeyRecord = Static<typeof PasskeyRecord>

/** A passkey as answers show it. */
export const Passkey = Type.Pick(PasskeyRecord, ['id', 'name', 'created_at', 'last_used_at'], { title: 'Passkey' })
export type Passkey = Static<typeof Passkey>

/** Who signs in with a password. */
export const SignInDraft = Type.Object({ email: email(), password: Password }, {
  ...closed, title: 'SignInDraft', examples: [{ email: 'ada@example.com', password: 'correct horse battery staple' }]
})
export type SignInDraft = Static<typeof SignInDraft>

/** Who has signed in. */
export const SignedIn = Type.Object({ user: User, session: Session }, { title: 'SignedIn' })
export type SignedIn = Static<typeof SignedIn>

/** Asking what a link is for. */
export const LinkQuestion = Type.Object({ token: Token }, { ...closed, title: 'LinkQuestion' })

/** What a link is for, as whoever holds it may know. */
export const OpenedLink = Type.Object(
  {
    kind: LinkKind,
    /** Of set-up and reset: whose password it sets. Of an invitation: the address it was made for. */
    email: nullable(Type.String()),
    name: nullable(Type.String({ description: 'The user whose password it sets; null where they have not said yet what they are called' })),
    account: nullable(Type.String({ description: "Of an invitation: the team's name" })),
    permissions: Type.Optional(Permissions),
    needs_password: Type.Boolean({
      description: 'Of an invitation: a user has this address already, whose own password accepts it'
    }),
    expires_at: Timestamp
  },
  { title: 'OpenedLink' }
)
export type OpenedLink = Static<typeof OpenedLink>

/** Setting the password with a link. */
export const LinkUse = Type.Object({
  token: Token,
  password: NewPassword,
  name: Type.Optional(title(200)),
  email: Type.Optional(email({ description: 'Needed where the user has none: it is what one signs in with' }))
}, { ...closed, title: 'LinkUse' })
export type LinkUse = Static<typeof LinkUse>

/** Asking for a link that sets a new password. */
export const ResetRequest = Type.Object({ email: email() }, { ...closed, title: 'ResetRequest' })

/** Changing the password. */
export const PasswordChange = Type.Object(
  { current_password: Password, password: NewPassword }, { ...closed, title: 'PasswordChange' }
)

/** Changing what one is called, or what one signs in with, which takes the password. */
export const UserPatch = Type.Object({
  name: Type.Optional(title(200)),
  email: Type.Optional(email()),
  current_password: Type.Optional(Password)
}, { ...closed, minProperties: 1, title: 'UserPatch', examples: [{ name: 'Ada' }] })
export type UserPatch = Static<typeof UserPatch>

/** What a browser's WebAuthn gives and takes; it is checked by the library that knows it. */
export const WebAuthn = Type.Object(
  {},
  { additionalProperties: true, title: 'WebAuthn', description: 'As the browser and @simplewebauthn/browser have it' }
)

/** A new passkey. */
export const PasskeyDraft = Type.Object(
  { name: Type.Optional(title(200)), response: WebAuthn }, { ...closed, title: 'PasskeyDraft' }
)

/** A passkey that answers. */
export const PasskeySignIn = Type.Object({ response: WebAuthn }, { ...closed, title: 'PasskeySignIn' })
