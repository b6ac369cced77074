import { toolsOf } from '@millrace/kernel';
import type { Services } from './services.ts';

export const tool = toolsOf<Services>();
