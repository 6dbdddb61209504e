import { auth } from '../api/auth.ts';
import { notifyFailed } from '../design/notify.ts';

export async function signOut(): Promise<void> {
  try {
    await auth.signOut();
  } catch (error) {
    notifyFailed(error);
    return;
  }
  // A load, not a navigation: nothing of the session stays in memory, and no draft in the browser.
  sessionStorage.clear();
  window.location.assign('/user/api/sign-in');
}
