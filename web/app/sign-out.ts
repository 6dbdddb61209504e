import { auth } from '../api/auth.ts';
import { notifyFailed } from '../design/notify.ts';

export async function signOut(): Promise<void> {
  try {
    await auth.signOut();
  } catch (error) {
    notifyFailed(error);
    return;
  }
  // A full page load instead of a navigation: it clears all session data from memory and all drafts from the browser.
  sessionStorage.clear();
  window.location.assign('/user/api/sign-in');
}
