#!/usr/bin/env node
// npm links the commands of a checkout from here.
import '../../../bin/flowrag-mcp.js';
