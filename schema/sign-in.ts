import { Type, type Static } from '@sinclair/typebox'
import { Permissions, User } from './access.ts'
import { Id, Timestamp, closed, email, nullable, oneOf, text, title } from './common.ts'

/** A new password; the rules beyond its form are in src/access/sign-in/password.ts. */
const NewPassword = Type.String({
  minLength: 12, maxLength: 200, description: 'At least 12 characters', examples: ['correct horse battery staple']
})
const Password = Type.String({ minLength: 1, maxLength: 200 })
/** 32 random bytes. */
const Token = Type.String({ minLength: 1, maxLength: 100, description: 'The part of the link after the last /' })

/** A password as stored: a PHC string of argon2id. */
export const PasswordRecord = Type.Object({ user: Id, hash: Type.String(), changed_at: Timestamp })
export type PasswordRecord = Static<typeof PasswordRecord>

/** A session, as stored: only a digest of the cookie. */
export const SessionRecord = Type.Object({
  id: Id,
  user: Id,
  digest: Type.String(),
  /** The account used where a request names none. */
  account: nullable(Id),
  /** The browser's user agent. */
  browser: text(300),
  created_at: Timestamp,
  last_used_at: Timestamp,
  expires_at: Timestamp
})
export type SessionRecord = Static<typeof SessionRecord>

/** A session as responses show it. */
export const Session = Type.Composite([Type.Omit(SessionRecord, ['digest', 'user', 'account']), Type.Object({
  is_current: Type.Boolean({ description: 'Whether it is the session making the request' })
})], { title: 'Session' })
export type Session = Static<typeof Session>

/** What a link is for: a first password, a new one, or joining a team. */
export const LinkKind = oneOf(['setup', 'reset', 'invitation'])
export type LinkKind = Static<typeof LinkKind>

/** A single-use link, as stored: only a digest of its token. */
export const LinkRecord = Type.Object({
  id: Id,
  kind: LinkKind,
  digest: Type.String(),
  /** The same link as mailed, with a separate token. */
  mailed_digest: nullable(Type.String()),
  /** The user whose password it sets; null for an invitation. */
  user: nullable(Id),
  /** For an invitation: the account, the permissions, the address and the inviter. */
  account: nullable(Id),
  permissions: Type.Unsafe<Static<typeof Permissions> | null>({}),
  email: nullable(email()),
  inviter: nullable(Id),
  created_at: Timestamp,
  expires_at: Timestamp,
  used_at: nullable(Timestamp)
})
export type LinkRecord = Static<typeof LinkRecord>

/** A passkey as stored. */
export const PasskeyRecord = Type.Object({
  id: Id,
  user: Id,
  /** The authenticator's id for it, in base64url. */
  credential: Type.String(),
  public_key: Type.Unsafe<Buffer>({}),
  /** The authenticator's use counter; 0 if it has none. */
  counter: Type.Integer(),
  transports: Type.Array(Type.String()),
  name: title(200),
  created_at: Timestamp,
  last_used_at: nullable(Timestamp)
})
export type PasskeyRecord = Static<typeof PasskeyRecord>

/** A passkey as responses show it. */
export const Passkey = Type.Pick(PasskeyRecord, ['id', 'name', 'created_at', 'last_used_at'], { title: 'Passkey' })
export type Passkey = Static<typeof Passkey>

/** Signing in with a password. */
export const SignInDraft = Type.Object({ email: email(), password: Password }, {
  ...closed, title: 'SignInDraft', examples: [{ email: 'ada@example.com', password: 'correct horse battery staple' }]
})
export type SignInDraft = Static<typeof SignInDraft>

/** Who has signed in. */
export const SignedIn = Type.Object({ user: User, session: Session }, { title: 'SignedIn' })
export type SignedIn = Static<typeof SignedIn>

/** Request for a link's purpose. */
export const LinkQuestion = Type.Object({ token: Token }, { ...closed, title: 'LinkQuestion' })

/** The purpose of a link, as its holder may see it. */
export const OpenedLink = Type.Object(
  {
    kind: LinkKind,
    /** For set-up and reset: the user whose password it sets. For an invitation: the address it was made for. */
    email: nullable(Type.String()),
    name: nullable(Type.String({ description: 'Name of the user whose password it sets; null if they have not given one yet' })),
    account: nullable(Type.String({ description: "For an invitation: the team's name" })),
    permissions: Type.Optional(Permissions),
    needs_password: Type.Boolean({
      description: 'For an invitation: whether an existing user has this address, who accepts with their own password'
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
  email: Type.Optional(email({ description: 'Required if the user has none; used to sign in' }))
}, { ...closed, title: 'LinkUse' })
export type LinkUse = Static<typeof LinkUse>

/** Request for a link that sets a new password. */
export const ResetRequest = Type.Object({ email: email() }, { ...closed, title: 'ResetRequest' })

/** Changing the password. */
export const PasswordChange = Type.Object(
  { current_password: Password, password: NewPassword }, { ...closed, title: 'PasswordChange' }
)

/** Changing one's name, or the address that one signs in with, which requires the password. */
export const UserPatch = Type.Object({
  name: Type.Optional(title(200)),
  email: Type.Optional(email()),
  current_password: Type.Optional(Password)
}, { ...closed, minProperties: 1, title: 'UserPatch', examples: [{ name: 'Ada' }] })
export type UserPatch = Static<typeof UserPatch>

/** Data to and from a browser's WebAuthn; the WebAuthn library validates it. */
export const WebAuthn = Type.Object(
  {},
  { additionalProperties: true, title: 'WebAuthn', description: 'As used by browsers and @simplewebauthn/browser' }
)

/** A new passkey. */
export const PasskeyDraft = Type.Object(
  { name: Type.Optional(title(200)), response: WebAuthn }, { ...closed, title: 'PasskeyDraft' }
)

/** A passkey's response. */
export const PasskeySignIn = Type.Object({ response: WebAuthn }, { ...closed, title: 'PasskeySignIn' })
