package checkout

import "context"

// RunOnce looks through the store once and waits for what that starts: for tests of a service that is not started.
func (s *Service) RunOnce(ctx context.Context) error {
	_, err := s.round(ctx)
	s.done.Wait()
	return err
}
