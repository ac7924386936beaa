import { Type, type TSchema } from '@sinclair/typebox'

/** The envelope of every successful response. */
export const success = <T extends TSchema>(data: T, options: { title?: string, description?: string } = {}) =>
  Type.Object(
    {
      status: Type.Literal('success'),
      message: Type.String(),
      data
    },
    options
  )

/** The response to a deletion. */
export const Deleted = success(Type.Object({ id: Type.Integer() }), { title: 'Deleted', description: 'Object deleted' })

/** The response to a deletion where ids are strings. */
export const DeletedName = success(Type.Object({ id: Type.String() }), {
  title: 'DeletedName', description: 'Object deleted'
})

/** Which part of a list a response contains. */
export const Pagination = Type.Object({
  page: Type.Integer(),
  limit: Type.Integer(),
  total: Type.Integer(),
  pages: Type.Integer()
}, { title: 'Pagination' })

/** The query of a list that can be requested in pages. */
export const Paging = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Page number, from 1' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Items per page' }))
}

/** The response to a malformed request: every violated field at once, at most 20. */
export const ValidationError = Type.Object(
  {
    error: Type.Object({
      code: Type.Literal('VALIDATION_ERROR'),
      message: Type.String(),
      details: Type.Array(
        Type.Object({
          field: Type.String(),
          message: Type.String(),
          code: Type.Optional(
            Type.String({
              description:
                'Why the value of the field cannot be used. With the header `Agenthall-Details: rules`, also the rule it breaks (`required`, `too_long`, `wrong_form` …)'
            })
          ),
          limit: Type.Optional(Type.Integer({ description: 'Limit set by the rule, if numeric; only with that header' })),
          example: Type.Optional(Type.String({ description: 'Example of the expected form; only with that header' }))
        })
      )
    })
  },
  {
    title: 'ValidationError',
    examples: [
      {
        error: {
          code: 'VALIDATION_ERROR',
          message: 'Invalid parameters: see details for each field.',
          details: [{ field: 'systemPrompt', message: 'systemPrompt is required.' }]
        }
      }
    ]
  }
)

/** All other refusals of the service. */
export const ErrorAnswer = Type.Object({
  error: Type.Object({
    code: Type.String(),
    message: Type.String(),
    status: Type.Integer(),
    fields: Type.Object({}, { additionalProperties: true })
  })
}, {
  title: 'Error',
  examples: [{
    error: { code: 'authentication_required', message: 'Authentication failed.', status: 401, fields: {} }
  }]
})
