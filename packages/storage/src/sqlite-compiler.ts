import { type LimitNode, type OffsetNode, SqliteQueryCompiler } from 'kysely';

/**
 * SQLite plans a prepared statement again each time a value of its LIMIT or OFFSET is bound, which costs many times
 * more than running it. It leaves an expression alone, and `+?` is one.
 */
export class PlannedOnceCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    this.append('limit +');
    this.visitNode(node.limit);
  }

  protected override visitOffset(node: OffsetNode): void {
    this.append('offset +');
    this.visitNode(node.offset);
  }
}
