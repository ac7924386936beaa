/**
 * The address of the built-in example shop: a name that exists in no network (RFC 6761). Requests to it never leave the
 * process.
 */
export const EXAMPLE_SHOP = 'https://example-shop.invalid'
