import type { z } from 'zod';

/**
 * What a person can configure about a toolset: a section of millrace.config.json. Every field can also be set by an
 * environment variable; secrets only that way.
 */
export interface Settings<Schema extends z.ZodObject = z.ZodObject> {
  schema: Schema;
  /** Field of the section (dotted where nested) to environment variable. */
  environment: Record<string, string>;
  /** Fields that are never read from a file, shown or logged. */
  secrets?: readonly string[];
}
